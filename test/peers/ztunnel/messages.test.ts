import { ztunnelMessages } from '../../../packages/istio-redirect/test/zds/ztunnel-messages.suite.ts'
import { peer } from '../peers.ts'
import { startZtunnelProcess } from './ztunnel-process.ts'

const { file, missing } = peer('ztunnel')

ztunnelMessages('a real ztunnel', (path) => startZtunnelProcess({ file, path }), missing)
