-- What the pods of an InferenceService refer to, and where their models are.

local pods = require("lib.pods")

local references = {}

-- A model on a claim of the namespace: pvc://claim/path.
local function claim(uri)
  return string.match(uri or "", "^pvc://([^/]+)")
end

local function models(part, namespace)
  local all = kube.list()
  for _, model in ipairs(pods.models(part)) do
    all = kube.concat(all, kube.references("PersistentVolumeClaim", namespace, claim(model.storageUri)))
    if kube.get(model, "storage.key") then
      all = kube.concat(all, kube.references("Secret", namespace, params.storageSecret))
    end
  end
  for _, each in ipairs(part.storageUris or {}) do
    all = kube.concat(all, kube.references("PersistentVolumeClaim", namespace, claim(each.uri)))
  end
  return all
end

-- The credentials of a bucket are those of the ServiceAccount.
function references.all(obj)
  local all, namespace = kube.list(), kube.get(obj, "metadata.namespace", "default")
  local spec = obj.spec or {}
  local parts = kube.concat({ spec.predictor }, { spec.transformer }, { spec.explainer }, { kube.get(spec, "predictor.workerSpec") })
  for _, part in ipairs(parts) do
    all = kube.concat(all, kube.getPodDependencies(pods.template(part), namespace), models(part, namespace))
  end
  return all
end

return references
