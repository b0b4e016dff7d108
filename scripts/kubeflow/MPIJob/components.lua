local job = require("lib.job")
local specs = require("lib.mpi")

function GetComponents(obj)
  return job.components(specs(obj))
end
