import { type Guard, isAnything, isFlag, isText, listOf, nullish, objectOf } from '@cni/skel/plain'
import type { Kubeconfig } from './kubeconfig-schema.ts'

const text = nullish(isText)

/** Vouches for kubeconfigs whose members that matter are as the schema reads them. */
export const isPlainKubeconfig: Guard<Kubeconfig> = objectOf({
  'current-context': text,
  clusters: nullish(
    listOf(
      objectOf({
        name: isText,
        cluster: nullish(
          objectOf({
            server: text,
            'certificate-authority': text,
            'certificate-authority-data': text,
            'insecure-skip-tls-verify': nullish(isFlag),
            'tls-server-name': text,
          }),
        ),
      }),
    ),
  ),
  contexts: nullish(listOf(objectOf({ name: isText, context: nullish(objectOf({ cluster: text, user: text })) }))),
  users: nullish(
    listOf(
      objectOf({
        name: isText,
        user: nullish(
          objectOf({
            token: text,
            tokenFile: text,
            'client-certificate': text,
            'client-certificate-data': text,
            'client-key': text,
            'client-key-data': text,
            exec: isAnything,
            'auth-provider': isAnything,
          }),
        ),
      }),
    ),
  ),
})
