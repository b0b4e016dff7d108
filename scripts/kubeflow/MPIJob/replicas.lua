local job = require("lib.job")
local specs = require("lib.mpi")

function GetReplicas(obj)
  return job.replicas(specs(obj))
end
