import { behaviour } from '../../test/behaviour.suite.ts'
import { fakeKernel } from './fake-kernel.ts'

behaviour('the fake', async () => {
  const kernel = fakeKernel()
  return {
    nft: kernel.open({ receiveBuffer: 4_000_000 }),
    pid: process.pid,
    other: (receiveBuffer) => kernel.open(receiveBuffer === undefined ? {} : { receiveBuffer }),
    listen: (receiveBuffer) =>
      kernel.nfnetlink({ events: true, ...(receiveBuffer === undefined ? {} : { receiveBuffer }) }),
    [Symbol.asyncDispose]: async () => {},
  }
})
