-- unused.
local pods = require("lib.store")
-- line unused

local function never()
  --           ^ unused
  return 1
end

function PruneTemplate(template)
  local kept, gone = 1, 2
  --          ^ unused
  local written
  --    ^ unused
  written = kept
  -- Names that are there to be passed over, and parameters and the variables of loops.
  local _, second = next(template)
  local _ignored = second
  for index, value in ipairs({}) do
    second = value
  end
  return template, function(first, last) return last end
end
