local job = require("lib.job")

function ReflectStatus(obj)
  return job.reflect(obj)
end
