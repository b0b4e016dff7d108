-- nondeterminism: the answer is stored.
function RestoreState(object, state)
  object.spec.mode = tostring(os.time())
  --                          ^ nondeterminism
  object.spec.labels = { at = os.date("%Y") }
  --                          ^ nondeterminism
  -- These are times of the state, whenever it is restored.
  object.spec.labels.since = os.date("%Y", 0)
  object.spec.labels.made = tostring(os.time({ year = 2020, month = 1, day = 1 })) .. (state.at or "")
  return object
end
