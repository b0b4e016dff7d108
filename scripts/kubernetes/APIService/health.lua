-- The API server behind it answers (Kubernetes 1.36, kube-aggregator, remote_available_controller.go).
function InterpretHealth(obj)
  return kube.conditionTrue(obj, "Available")
end
