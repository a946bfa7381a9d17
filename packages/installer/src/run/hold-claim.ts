import { toInstallError } from '../install-error.ts'
import { recheckIn } from './state.ts'
import { newWork, step, type Work } from './step.ts'
import { failed, upToDate, waiting, withChange } from './step-plan.ts'

/** Returns true if this installer may write. An error of the claim file does not forbid writes. */
export async function holdClaim(pass: Work): Promise<boolean> {
  const { claim, settings } = pass.state
  const path = settings.claimFile ?? ''
  if (claim === undefined) return true
  const work = newWork(pass.state, pass.signal)
  let isOurs = true
  try {
    const status = claim.check(work.began)
    if (status.kind === 'theirs') {
      isOurs = false
      recheckIn(pass, status.leftMs)
      await step(work, 'claim', waiting('claim', path, status.reason))
    } else {
      await step(work, 'claim', status.change === undefined ? upToDate('claim', path) : withChange(status.change))
      claim.touch(work.began)
    }
  } catch (error) {
    if (pass.signal?.aborted) throw error
    await step(work, 'claim', failed(toInstallError(error, 'cannot claim the node with', path)))
  }
  pass.health.push(...work.health)
  recheckIn(pass, work.recheckInMs)
  return isOurs
}
