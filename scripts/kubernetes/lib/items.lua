local items = {}

-- The number of clusters whose item has a field.
function items.having(list, path)
  local n = 0
  for _, item in ipairs(list) do
    n = kube.get(item, path) == nil and n or n + 1
  end
  return n
end

return items
