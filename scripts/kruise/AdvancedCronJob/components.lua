local parallelism = require("lib.parallelism")
local pods = require("lib.pods")

-- How many pods of a Job run at a time, no more than it has completions.
local function ofJob(spec)
  local limit = spec.parallelism or 1
  return math.min(limit, spec.completions or limit)
end

-- An ImageListPullJob has no pods.
function GetComponents(obj)
  local template, spec = kube.get(obj, "spec.template", {}), pods.workload(obj)
  if template.jobTemplate then
    return pods.components(obj, ofJob(spec))
  end
  return template.broadcastJobTemplate and pods.components(obj, parallelism(spec)) or kube.list()
end
