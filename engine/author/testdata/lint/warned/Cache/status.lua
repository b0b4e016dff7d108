-- unknown-field, in a read, a path and a list of fields.
function ReflectStatus(object)
  local phase = object.status and object.status.fase
  --                                            ^ unknown-field
  if phase == kube.get(object, "spec.replica") then
  --                           ^ unknown-field
    return nil
  end
  return kube.reflectStatus(object, { "phase", "readyReplcas", "conditions" })
  --                                           ^ unknown-field
end
