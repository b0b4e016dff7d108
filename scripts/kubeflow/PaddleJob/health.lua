local job = require("lib.job")

function InterpretHealth(obj)
  return job.health(obj, true, nil)
end
