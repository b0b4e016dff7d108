function InterpretHealth(object)
  local status = object.status or status
  --                              ^ undefined-global
  return status ~= nil
end
