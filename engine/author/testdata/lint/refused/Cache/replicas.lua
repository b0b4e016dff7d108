function GetReplicas(object)
  return (object.tonumbr or 1) + string.lowr("x"), nil
  --                             ^ unknown-function
end
