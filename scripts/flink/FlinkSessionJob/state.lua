local progress = require("lib.progress")

function GetState(obj)
  return progress.state(obj)
end
