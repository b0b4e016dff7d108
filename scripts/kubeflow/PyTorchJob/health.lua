local job = require("lib.job")

function InterpretHealth(obj)
  return job.health(obj, false, false)
end
