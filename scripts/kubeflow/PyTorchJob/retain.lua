local checkpoint = require("lib.checkpoint")
local retain = require("lib.retain")

function Retain(desired, observed)
  return retain.job(checkpoint.retain(desired, observed), observed)
end
