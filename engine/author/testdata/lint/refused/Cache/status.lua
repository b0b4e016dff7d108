function ReflectStatus(object)
  return object.a and setmetatable(object.status, {}) or object.setmetatable
  --                  ^ removed-builtin
end
