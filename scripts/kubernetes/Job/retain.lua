-- The job controller of the member chooses the labels that tie pods to a Job.
local owned = { { "spec", "selector", "matchLabels" }, { "spec", "template", "metadata", "labels" } }

-- Sets what is at a path, with the maps above it.
local function set(obj, path, value)
  for i = 1, #path - 1 do
    obj[path[i]] = obj[path[i]] or {}
    obj = obj[path[i]]
  end
  obj[path[#path]] = value
end

-- An indexed Job with as many completions as pods at a time may change both together.
local function isElastic(spec)
  return spec.completionMode == "Indexed" and spec.completions == spec.parallelism
end

-- The API server refuses other completions of any other Job (Kubernetes 1.36,
-- apis/batch/validation, validateCompletions). So they stay, and the rest of it can still be
-- updated. Of one with fewer than its part some never run, which is to be seen.
local function keepCompletions(desired, observed)
  local wanted, there = kube.get(desired, "spec.completions"), kube.get(observed, "spec.completions")
  if not wanted or not there or wanted == there or isElastic(desired.spec) then
    return
  end
  desired.spec.completions = there
  if wanted > there then
    set(desired, { "metadata", "annotations", "work.dragoman.io/incomplete" }, string.format(
      "spec.completions stays %d where %d are wanted, for it cannot change in a Job that exists; %d never run unless the Job is deleted in that cluster",
      there, wanted, wanted - there))
  end
end

-- Reports whether the scheduling of the pods cannot be changed: the Job is not suspended, or
-- Kueue is about to stop it (Kubernetes 1.36, registry/batch/job, validationOptionsForJob).
local function isStarted(observed)
  return not kube.get(observed, "spec.suspend") or kube.get(observed, "status.startTime") ~= nil
end

-- Kueue admits less than a Job asks for where an annotation allows it, and may have the
-- completions follow.
local function keepParallelism(desired, observed)
  local annotations = kube.get(desired, "metadata.annotations", {})
  if annotations["kueue.x-k8s.io/job-min-parallelism"] then
    desired.spec.parallelism = observed.spec.parallelism
    if annotations["kueue.x-k8s.io/job-completions-equal-parallelism"] == "true" then
      desired.spec.completions = observed.spec.completions
    end
  end
end

-- What Kueue writes into the pods that it admits, beside labels.
local admitted = {
  { "spec", "template", "metadata", "annotations" },
  { "spec", "template", "spec", "nodeSelector" },
  { "spec", "template", "spec", "schedulingGates" },
  { "spec", "template", "spec", "tolerations" },
}

-- A queue of Kueue in the member starts and stops the Job, and writes into the pods where it
-- has admitted them. While it is stopped, they are those of the template.
local function keepQueue(desired, observed)
  if not observed.spec or not kube.inQueue(desired, observed) then
    return
  end
  set(desired, { "spec", "suspend" }, observed.spec.suspend)
  if not isStarted(observed) then
    return
  end
  keepParallelism(desired, observed)
  for _, path in ipairs(admitted) do
    local value = kube.get(observed, path)
    if value ~= nil or kube.get(desired, path) ~= nil then
      set(desired, path, value)
    end
  end
end

function Retain(desired, observed)
  keepCompletions(desired, observed)
  for _, path in ipairs(owned) do
    local labels = kube.get(observed, path)
    if labels then
      set(desired, path, labels)
    end
  end
  keepQueue(desired, observed)
  return desired
end
