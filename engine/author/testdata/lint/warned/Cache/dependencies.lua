-- backtracking-pattern.
function GetDependencies(object)
  local name = object.metadata.name
  if name:find("(a*)a*b") or string.match(name, "[a-z]+[a-z]-x") then
  --           ^ backtracking-pattern
  --                                            ^ backtracking-pattern
    return {}
  elseif string.gmatch(name, "x.*y.*z.-")() then
  --                         ^ backtracking-pattern
    return {}
  elseif name:match("^%s*(.-)%s*$") or string.find(name, "a*a*b", 1, true) or name:match("%a+%d+") or name:match("[^-]*%-[^-]*") then
    return {}
  end
  return {}
end
