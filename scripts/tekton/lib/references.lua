-- What a run refers to.

local spec = require("lib.spec")

local references = {}

-- The claims, ConfigMaps and Secrets that are bound to workspaces.
local function workspaces(obj, namespace)
  local all = kube.list()
  for _, bound in ipairs(kube.get(obj, "spec.workspaces", {})) do
    all = kube.concat(
      all,
      kube.references("PersistentVolumeClaim", namespace, kube.get(bound, "persistentVolumeClaim.claimName")),
      kube.references("ConfigMap", namespace, kube.get(bound, "configMap.name")),
      kube.references("Secret", namespace, kube.get(bound, "secret.secretName")))
    if bound.projected then
      all = kube.concat(all, kube.getPodDependencies({ spec = { volumes = { { projected = bound.projected } } } }, namespace))
    end
  end
  return all
end

-- A Pipeline or Task of the namespace. One that a resolver finds, or of the cluster, is none.
local function named(obj, ref, kind, namespace)
  if not ref or not ref.name or ref.resolver or ref.bundle or (ref.kind or kind) ~= kind then
    return {}
  end
  return { { apiVersion = obj.apiVersion, kind = kind, namespace = namespace, name = ref.name } }
end

function references.all(obj)
  local namespace, template = kube.get(obj, "metadata.namespace", "default"), spec.template(obj)
  local pod = kube.pick(template, { "imagePullSecrets", "volumes" })
  pod.serviceAccountName = spec.account(obj)
  local all = kube.concat(
    kube.getPodDependencies({ spec = pod }, namespace),
    workspaces(obj, namespace),
    named(obj, kube.get(obj, "spec.pipelineRef"), "Pipeline", namespace),
    named(obj, kube.get(obj, "spec.taskRef"), "Task", namespace))
  for _, task in ipairs(kube.concat(kube.get(obj, "spec.pipelineSpec.tasks"), kube.get(obj, "spec.pipelineSpec.finally"))) do
    all = kube.concat(all, named(obj, task.taskRef, "Task", namespace))
  end
  spec.tasks(obj, function(task)
    local containers = kube.concat(task.steps, task.sidecars)
    all = kube.concat(all, kube.getPodDependencies({ spec = { containers = containers, volumes = task.volumes } }, namespace))
  end)
  return all
end

return references
