local retain = require("lib.retain")

function Retain(desired, observed)
  return retain.job(desired, observed, "mpiReplicaSpecs")
end
