-- The one namespace whose pods get the sidecars, or nil where they are of several.
local function namespace(obj)
  return kube.get(obj, "metadata.namespace")
    or kube.get(obj, "spec.namespace")
    or kube.get(obj, { "spec", "namespaceSelector", "matchLabels", "kubernetes.io/metadata.name" })
end

-- What the sidecars refer to is looked up where their pods are. A SidecarSet has no
-- namespace itself, so that this is known only where it selects one.
function GetDependencies(obj)
  local pods = { spec = kube.pick(obj.spec, { "containers", "initContainers", "volumes", "imagePullSecrets" }) }
  return namespace(obj) and kube.getPodDependencies(pods, namespace(obj)) or kube.list()
end
