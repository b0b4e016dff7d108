local pods = require("lib.pods")

-- What the pods of the jobs refer to; of an ImageListPullJob the secrets to pull with.
function GetDependencies(obj)
  local all = pods.dependencies(obj)
  for _, name in ipairs(pods.workload(obj).pullSecrets or {}) do
    all = kube.concat(all, kube.references("Secret", kube.get(obj, "metadata.namespace"), name))
  end
  return all
end
