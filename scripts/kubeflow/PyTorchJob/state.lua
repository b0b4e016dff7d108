local checkpoint = require("lib.checkpoint")

function GetState(obj)
  local path = checkpoint.path(obj, "pytorchReplicaSpecs")
  return path and { [checkpoint.key] = path }
end
