local isFinished = require("lib.finished")

function IsFinished(obj)
  return isFinished(obj)
end
