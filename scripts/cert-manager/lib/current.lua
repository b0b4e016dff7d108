-- The status of a condition, nil where it was set for an older generation.
return function(obj, type)
  local condition = kube.condition(obj, type)
  local generation = kube.get(obj, "metadata.generation", 0)
  if condition and (condition.observedGeneration or generation) >= generation then
    return condition.status
  end
end
