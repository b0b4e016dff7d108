-- What a TrainJob specifies of its pods. The rest stands in its runtime, which a script
-- does not see.

local trainjob = {}

-- Calls visit with the name of a job of the runtime and what the TrainJob overrides
-- in its pods: runtimePatches (trainer 2.2), podTemplateOverrides (2.1) and
-- podSpecOverrides (2.0).
local function patches(spec, visit)
  for _, patch in ipairs(spec.runtimePatches or {}) do
    for _, job in ipairs(kube.get(patch, "trainingRuntimeSpec.template.spec.replicatedJobs", {})) do
      visit(job.name, kube.get(job, "template.spec.template.spec", {}))
    end
  end
  for _, patch in ipairs(kube.concat(spec.podTemplateOverrides, spec.podSpecOverrides)) do
    for _, job in ipairs(patch.targetJobs or {}) do
      visit(job.name, patch.spec or patch)
    end
  end
end

-- The pods of the training nodes.
function trainjob.template(obj)
  local spec = obj.spec or {}
  local trainer = spec.trainer or {}
  local pod = { containers = { { env = trainer.env, resources = trainer.resourcesPerNode } } }
  patches(spec, function(job, over)
    if job == "node" then
      pod.nodeSelector = kube.merge(pod.nodeSelector, over.nodeSelector)
      pod.tolerations = kube.concat(pod.tolerations, over.tolerations)
      pod.affinity = over.affinity or pod.affinity
    end
  end)
  return { spec = pod }
end

function trainjob.replicas(obj)
  return kube.get(obj, "spec.trainer.numNodes", 1), kube.accuratePodRequirements(trainjob.template(obj))
end

function trainjob.components(obj)
  return { kube.component("node", kube.get(obj, "spec.trainer.numNodes"), trainjob.template(obj)) }
end

-- The pod specs that name what pods need beside themselves, of all jobs.
function trainjob.pods(obj)
  local pods = { trainjob.template(obj).spec }
  patches(obj.spec or {}, function(_, over)
    table.insert(pods, over)
  end)
  for _, step in pairs(kube.get(obj, "spec.initializer", {})) do
    table.insert(pods, {
      containers = { { env = step.env, envFrom = { { secretRef = step.secretRef } } } },
    })
  end
  return pods
end

return trainjob
