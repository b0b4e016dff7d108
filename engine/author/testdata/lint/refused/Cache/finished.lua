function IsFinished(object)
    done = object.status
--  ^ global-write
  return done ~= nil
end
