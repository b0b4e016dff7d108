-- What triggers and their targets refer to.

local triggers = {}

local function namespace(obj)
  return kube.get(obj, "metadata.namespace", "default")
end

-- The authentications of the triggers. Those of the cluster have no namespace.
local function authentications(obj)
  local all = kube.list()
  for _, trigger in ipairs(kube.get(obj, "spec.triggers", {})) do
    local ref = trigger.authenticationRef or {}
    if ref.name then
      local kind = ref.kind or "TriggerAuthentication"
      table.insert(all, {
        apiVersion = "keda.sh/v1alpha1",
        kind = kind,
        namespace = kind == "TriggerAuthentication" and namespace(obj) or nil,
        name = ref.name,
      })
    end
  end
  return all
end

-- The target is a Deployment by default (kedautil.ParseGVKR).
function triggers.ofObject(obj)
  local all, target = authentications(obj), kube.get(obj, "spec.scaleTargetRef", {})
  if params.target == "along" and target.name then
    table.insert(all, {
      apiVersion = target.apiVersion or "apps/v1",
      kind = target.kind or "Deployment",
      namespace = namespace(obj),
      name = target.name,
    })
  end
  return all
end

function triggers.ofJob(obj)
  local template = kube.get(obj, "spec.jobTargetRef.template", {})
  return kube.concat(authentications(obj), kube.getPodDependencies(template, namespace(obj)))
end

return triggers
