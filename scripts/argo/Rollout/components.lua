function GetComponents(obj)
  return { kube.component("pod", kube.get(obj, "spec.replicas"), kube.get(obj, "spec.template")) }
end
