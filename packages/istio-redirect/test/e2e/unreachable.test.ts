import { netns } from '@cni/netns'
import { toErrorDocument } from '@cni/types'
import { expect, it } from 'vitest'
import { COMPILED } from './executables.ts'
import { testBed } from './pod.ts'

// In a file of its own: it waits for the plugin to give up asking, while other files use the processor.
it('an API server that is down: ADD gives up after its attempts, names the server and leaves no rule', async () => {
  await using bed = await testBed(() => COMPILED)
  const { url } = bed.node.api
  await bed.node.api.close()
  const error = await bed.add().then(
    () => undefined,
    (cause: unknown) => cause,
  )
  const { msg, details = '' } = toErrorDocument(error)
  expect(`${msg} ${details}`).toContain(new URL(url).host)
  expect(await bed.save()).not.toContain('ISTIO_')
  expect(bed.node.stateFiles()).toEqual([])
}, 60_000)

it('an API server that hangs: SIGTERM ends ADD at once with code 11 and leaves no rule', async () => {
  await using bed = await testBed(() => COMPILED)
  bed.node.api.misbehave({ hang: true }, { hang: true })
  await netns.exec(bed.pod, ['ip', 'address', 'add', '10.9.9.9/32', 'dev', 'lo'])
  const { file, ...options } = bed.direct('ADD')
  const started = netns.start(bed.nodeNetns, [file], options)
  await expect.poll(() => bed.node.api.requests.length, { timeout: 5000 }).toBe(1)
  started.kill('SIGTERM')
  const outcome = await started.done.catch((error: { stdout: string; exitCode: number }) => error)
  expect(outcome.exitCode).toBe(1)
  expect(JSON.parse(outcome.stdout)).toMatchObject({ code: 11 })
  expect(await bed.save()).not.toContain('ISTIO_')
})
