import { describeCluster } from './cluster-suite.ts';
import { SingleNode } from './single-node.ts';

describeCluster(
  'a gateway that is alone',
  async () => ({ node: (name) => new SingleNode(name), remove: async () => undefined }),
  { hasSeveral: false },
);
