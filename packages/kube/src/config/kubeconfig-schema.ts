import * as z from 'zod/mini'

// Schemas that several members of the kubeconfig's schema share, because it takes long to create a schema.
const string = z.string()
const optional = z.nullish(string)
const flag = z.nullish(z.boolean())
const anything = z.nullish(z.unknown())

/** Schema for those members of a kubeconfig that this package reads. */
export const kubeconfigSchema = z.object({
  'current-context': optional,
  clusters: z.nullish(
    z.array(
      z.object({
        name: string,
        cluster: z.nullish(
          z.object({
            server: optional,
            'certificate-authority': optional,
            'certificate-authority-data': optional,
            'insecure-skip-tls-verify': flag,
            'tls-server-name': optional,
          }),
        ),
      }),
    ),
  ),
  contexts: z.nullish(
    z.array(z.object({ name: string, context: z.nullish(z.object({ cluster: optional, user: optional })) })),
  ),
  users: z.nullish(
    z.array(
      z.object({
        name: string,
        user: z.nullish(
          z.object({
            token: optional,
            tokenFile: optional,
            'client-certificate': optional,
            'client-certificate-data': optional,
            'client-key': optional,
            'client-key-data': optional,
            exec: anything,
            'auth-provider': anything,
          }),
        ),
      }),
    ),
  ),
})

/** Kubeconfig with only those members that this package reads. */
export type Kubeconfig = z.infer<typeof kubeconfigSchema>
