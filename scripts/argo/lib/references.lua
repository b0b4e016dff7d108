-- What a WorkflowSpec refers to.

local pods = require("lib.pods")
local walk = require("lib.walk")
local workflowSpec = require("lib.workflowSpec")

local references = {}

-- Calls visit with each secret and ConfigMap that the store of an artifact needs: all
-- stores name their keys in fields such as accessKeySecret and krbConfigConfigMap.
local function keys(artifact, visit)
  for _, store in pairs(artifact) do
    for field, key in pairs(type(store) == "table" and store or {}) do
      local kind = string.match(field, "Secret$") or string.match(field, "ConfigMap$")
      if kind and type(key) == "table" then
        visit(kind, key.name)
      end
    end
  end
end

-- The references of the WorkflowSpec of an object. A name that is substituted when the
-- workflow runs, such as {{inputs.parameters.claim}}, is not known.
function references.all(obj)
  local spec, namespace = workflowSpec(obj), kube.get(obj, "metadata.namespace", "default")
  local all = kube.list()

  local function put(reference)
    if not string.find(reference.name, "{{", 1, true) then
      table.insert(all, reference)
    end
  end

  local function add(kind, name)
    if name and name ~= "" then
      put({ apiVersion = "v1", kind = kind, namespace = namespace, name = name })
    end
  end

  local function addPod(template)
    for _, reference in ipairs(kube.getPodDependencies(template, namespace)) do
      put(reference)
    end
  end

  local function addTemplate(ref)
    if ref and ref.name and not ref.clusterScope then
      put({ apiVersion = "argoproj.io/v1alpha1", kind = "WorkflowTemplate", namespace = namespace, name = ref.name })
    end
  end

  local function addValues(values)
    values = values or {}
    for _, parameter in ipairs(values.parameters or {}) do
      add("ConfigMap", kube.get(parameter, "valueFrom.configMapKeyRef.name"))
    end
    for _, artifact in ipairs(values.artifacts or {}) do
      keys(artifact, add)
    end
  end

  -- What a workflow and a template both have.
  local function addCommon(part)
    add("ServiceAccount", kube.get(part, "executor.serviceAccountName"))
    local locks = part.synchronization or {}
    for _, semaphore in ipairs(kube.concat({ locks.semaphore }, locks.semaphores)) do
      add("ConfigMap", kube.get(semaphore, "configMapKeyRef.name"))
    end
  end

  addPod({ spec = kube.pick(spec, { "imagePullSecrets", "serviceAccountName", "volumes" }) })
  addCommon(spec)
  addValues(spec.arguments)
  addTemplate(spec.workflowTemplateRef)
  add("ConfigMap", kube.get(spec, "artifactRepositoryRef.configMap"))
  add("ServiceAccount", kube.get(spec, "artifactGC.serviceAccountName"))
  for _, hook in pairs(spec.hooks or {}) do
    addTemplate(hook.templateRef)
  end
  walk(spec, function(template)
    addPod(pods.of(spec, template))
    addCommon(template)
    addValues(template.inputs)
    addValues(template.outputs)
  end, function(step)
    addTemplate(step.templateRef)
    addValues(step.arguments)
  end)
  return all
end

return references
