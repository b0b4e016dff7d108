-- The replicated jobs of a JobSet: each creates a number of equal Jobs.

local jobs = {}

-- The longest name that a component may have.
local longest = 32

-- How many pods a Job runs at a time; without parallelism the API server sets 1. A Job
-- runs no more pods than it has completions.
local function parallel(job)
  local parallelism = job.parallelism or 1
  return math.min(parallelism, job.completions or parallelism)
end

-- Calls visit with each replicated job, the spec of its Jobs, and its number.
function jobs.each(obj, visit)
  for i, replicated in ipairs(kube.get(obj, "spec.replicatedJobs", {})) do
    visit(replicated, kube.get(replicated, "template.spec", {}), i)
  end
end

-- A component for each replicated job: the pods of all its Jobs. One without a name, or
-- with one that is too long, is named by its number.
function jobs.components(obj)
  local components = kube.list()
  jobs.each(obj, function(replicated, job, i)
    local name = replicated.name or ""
    if name == "" or #name > longest then
      name = "job-" .. i
    end
    table.insert(components, kube.component(name, (replicated.replicas or 1) * parallel(job), job.template))
  end)
  return components
end

-- All pods, each as large as the largest.
function jobs.replicas(obj)
  local components = jobs.components(obj)
  return kube.totalReplicas(components), kube.largestRequirements(components)
end

return jobs
