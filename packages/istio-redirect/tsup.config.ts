import { library } from '../../tsup.base.ts'

const processes = ['app-server', 'connect', 'stand-in-proxy', 'stand-in-ztunnel']

export default library({
  index: 'src/index.ts',
  agent: 'src/agent/index.ts',
  explain: 'src/explain/index.ts',
  'istio-cni': 'src/plugin/main.ts',
  'install-cni': 'src/agent/main.ts',
  'istio-redirect': 'src/tools/main.ts',
  testing: 'src/testing/index.ts',
  'testing-node': 'src/testing/node/index.ts',
  // Programs of the stand-ins. The build puts them into the folder `processes`, next to the module that starts them.
  ...Object.fromEntries(processes.map((name) => [`processes/${name}`, `src/testing/node/processes/${name}.ts`])),
})
