function InterpretHealth(object)
  local phase = kube.get(object, "status.phase")
  return true
end
