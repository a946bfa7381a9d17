import { type Candidates, listCandidates } from '../../conf/candidate.ts'
import { choosePrimary, type PrimaryChoice } from '../../conf/choose-primary.ts'
import { alternativeNames, compareNames, conflistName } from '../../conf/conf-name.ts'
import type { NetView } from './net-view.ts'

/** Chooses the primary network configuration. Remembers the choice, and the former primary if it has changed. */
export function rememberPrimary(view: NetView, now: number): PrimaryChoice {
  const { type, confName, ownFile, pin, holdMs } = view.settings
  const { memory } = view
  const own = [...memory.retired, ...(ownFile === undefined ? [] : [ownFile])]
  const rules = { type, explicit: confName, own, pin, holdMs }
  const choice = choosePrimary(withNamedList(view), rules, memory.primary, now)
  const before = memory.primary.name
  memory.primary = choice.memory
  if (choice.kind === 'use') {
    const { name } = choice
    // A file `x.conf` that was converted to `x.conflist` is not a former primary, because both contain the same
    // network.
    if (before !== undefined && before !== name && conflistName(before) !== name) memory.former.add(before)
    memory.former.delete(name)
  }
  return choice
}

/** Accepts a plugin list in a `.conf` file that the option `confName` names. The installer will rename the file. */
function withNamedList({ candidates, files, settings: { confName } }: NetView): Candidates {
  if (confName === undefined) return candidates
  const listName = conflistName(confName)
  const name = alternativeNames(listName).find((one) => candidates.invalid.has(one))
  const file = name === undefined ? undefined : files.read(name)
  if (name === undefined || file === undefined) return candidates
  const [list] = listCandidates(new Map([[listName, file.bytes]])).valid
  if (list === undefined) return candidates
  const valid = [...candidates.valid, { ...list, name }].sort((a, b) => compareNames(a.name, b.name))
  return { ...candidates, valid }
}
