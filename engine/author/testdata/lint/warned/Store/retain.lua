-- Comments that switch off rules.
function Retain(desired, observed)
  local a = 1 -- lint:disable unused
  -- lint:disable unused, shadowed
  local b = 1
  local c = 1 -- lint:disable shadowed
  --    ^ unused
  local d = 1 -- lint:disable unusd
  --    ^ unused
  --          ^ bad-directive
  -- lint:off unused
  -- line bad-directive
  -- lint:disable
  -- line bad-directive
  -- lint is the name of a tool; "-- lint:disable x" is a text
  return desired or observed
end
