import { shimMain } from '@cni/skel/daemon'
import { SHIM } from './shim.ts'

shimMain(SHIM)
