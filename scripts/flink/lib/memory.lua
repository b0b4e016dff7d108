-- A size of memory as Flink reads it, as a quantity; nil for nil. What is no size of Flink is a
-- quantity to the operator, in letters of any case (FlinkConfigBuilder.parseResourceMemoryString);
-- here that is one with a fraction, since kube.flinkMemory knows the other ones.
return function(size)
  if params.memoryUnits == "quantity" then
    return size and tostring(kube.getResourceQuantity(size))
  end
  if type(size) ~= "string" or not string.find(size, ".", 1, true) then
    return kube.flinkMemory(size)
  end
  local text = string.upper(string.gsub(size, "%s", ""))
  text = string.gsub(text, "B$", "")
  return kube.resourceAdd((string.gsub(text, "I$", "i")))
end
