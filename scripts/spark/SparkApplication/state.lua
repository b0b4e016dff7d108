local checkpoint = require("lib.checkpoint")

function GetState(obj)
  return checkpoint.state(obj.spec)
end
