import { toInstallError } from '../install-error.ts'
import { lookAgainIn } from './state.ts'
import { newWork, step, type Work } from './step.ts'
import { failed, inOrder, toDo, waiting } from './step-plan.ts'

/** Returns true if this installer may write. An error of the claim file does not forbid writes. */
export async function holdClaim(pass: Work): Promise<boolean> {
  const { claim, settings } = pass.state
  const path = settings.claimFile ?? ''
  if (claim === undefined) return true
  const work = newWork(pass.state, pass.signal)
  let isOurs = true
  try {
    const standing = claim.look(work.began)
    if (standing.kind === 'theirs') {
      isOurs = false
      lookAgainIn(pass, standing.leftMs)
      await step(work, 'claim', waiting('claim', path, standing.reason))
    } else {
      await step(work, 'claim', standing.change === undefined ? inOrder('claim', path) : toDo(standing.change))
      claim.touch(work.began)
    }
  } catch (error) {
    if (pass.signal?.aborted) throw error
    await step(work, 'claim', failed(toInstallError(error, 'cannot claim the node with', path)))
  }
  pass.health.push(...work.health)
  lookAgainIn(pass, work.againMs)
  return isOurs
}
