-- The webhook of the member writes who created and last changed a service, and refuses an
-- update with another name there, as in a template that was taken from a cluster.
local users = { "serving.knative.dev/creator", "serving.knative.dev/lastModifier" }

function Retain(desired, observed)
  for _, name in ipairs(users) do
    local path = { "metadata", "annotations", name }
    local user = kube.get(observed, path)
    if user and kube.get(desired, path) then
      desired.metadata.annotations[name] = user
    end
  end
  return desired
end
