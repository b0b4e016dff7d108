-- A size of memory as Flink's operator reads it, as a quantity; nil for nil.
return function(size)
  if params.memoryUnits == "quantity" then
    return size and tostring(kube.getResourceQuantity(size))
  end
  return kube.flinkMemory(size, true)
end
