function InterpretHealth(obj)
  return kube.get(obj, "status.phase") == "Bound"
end
