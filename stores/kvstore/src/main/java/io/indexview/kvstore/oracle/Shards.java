package io.indexview.kvstore.oracle;

import io.indexview.kvstore.KvStoreException;
import io.indexview.kvstore.oracle.MasterSearch.NodeStatus;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.logging.Level;
import java.util.logging.Logger;
import oracle.kv.KVStore;
import oracle.kv.impl.api.KVStoreImpl;
import oracle.kv.impl.topo.RepGroupId;
import oracle.kv.impl.topo.RepNodeId;
import oracle.kv.impl.topo.Topology;

/**
 * The shards of a store and their masters. The client knows the shards; the nodes are asked by what
 * the server's jar has for that, as the client's has not.
 */
class Shards {
  private final KVStore store;
  private final ClassLoader server;
  private final MasterSearch search = new MasterSearch();
  private Object topology;
  private int topologyNumber;

  /**
   * Where a shard's log can be read.
   *
   * @param address host and port that replicas connect to
   * @param end the last number in its log
   * @param isAuthoritative a majority of the nodes follows it; if not, these may have another one,
   *     whose log has writes that this one's lacks
   */
  record Master(String address, long end, boolean isAuthoritative) {}

  /**
   * Tells a store from others, and is the same for all its clients.
   *
   * @param id that it was given when it was made
   */
  record Store(String name, long id) {}

  /**
   * @param server the classes of the server's jar
   */
  Shards(KVStore store, ClassLoader server) {
    this.store = store;
    this.server = server;
  }

  /** The store that the shards belong to. */
  Store store() {
    Topology known = ((KVStoreImpl) store).getTopology();
    return new Store(known.getKVStoreName(), known.getId());
  }

  /** The names of the shards that the client knows now. */
  SortedSet<String> names() {
    SortedSet<String> names = new TreeSet<>();
    for (RepGroupId shard : ((KVStoreImpl) store).getTopology().getRepGroupIds()) {
      names.add(shard.getGroupName());
    }
    return names;
  }

  /**
   * Asks the nodes of a shard.
   *
   * @return nothing during an election
   * @throws KvStoreException.Unavailable if none of the nodes answers
   * @throws KvStoreException.ChangesUnsupported if the server's jar cannot ask
   */
  Optional<Master> master(String shard) {
    try {
      return search.among(shard, nodes(shard));
    } catch (ReflectiveOperationException | IOException | LinkageError e) {
      throw new KvStoreException.ChangesUnsupported(
          "Changes cannot be followed with this server's jar; is it of the same release as"
              + " kvclient.jar? (%s)".formatted(e),
          e);
    }
  }

  /** How each node is asked, by its name. */
  private Map<String, Callable<NodeStatus>> nodes(String shard)
      throws ReflectiveOperationException, IOException {
    Object known = topology();
    Class<?> shardId = server.loadClass(RepGroupId.class.getName());
    Object id = shardId.getMethod("parse", String.class).invoke(null, shard);
    Object group = known.getClass().getMethod("get", shardId).invoke(known, id);
    if (group == null) {
      return Map.of();
    }
    requireGetters();
    Object registry = registry(known);
    Set<String> voters = voters(known, group);
    Method find =
        registry
            .getClass()
            .getMethod("getRepNodeAdmin", server.loadClass(RepNodeId.class.getName()));
    Map<String, Callable<NodeStatus>> nodes = new HashMap<>();
    for (Object node : (Collection<?>) value(group, "getRepNodes")) {
      Object nodeId = value(node, "getResourceId");
      nodes.put(
          nodeId.toString(), () -> status(value(find.invoke(registry, nodeId), "ping"), voters));
    }
    return nodes;
  }

  /** What lacks shows here, and not as a node that does not answer. */
  private void requireGetters() throws ReflectiveOperationException {
    Class<?> status = server.loadClass("oracle.kv.impl.rep.RepNodeStatus");
    for (String getter :
        List.of(
            "getReplicationState",
            "getIsAuthoritativeMaster",
            "getMasterRepNodeStats",
            "getHAHostPort",
            "getVlsn")) {
      status.getMethod(getter);
    }
    server.loadClass("oracle.kv.impl.rep.MasterRepNodeStats").getMethod("getReplicaDelayMillisMap");
  }

  /** Nodes that elect the master of a shard. */
  private Set<String> voters(Object topology, Object group) throws ReflectiveOperationException {
    Method zone =
        topology.getClass().getMethod("getDatacenter", server.loadClass(RepNodeId.class.getName()));
    Method zoneType = zone.getReturnType().getMethod("getDatacenterType");
    Set<String> voters = new HashSet<>();
    for (Object node : (Collection<?>) value(group, "getRepNodes")) {
      Object id = value(node, "getResourceId");
      Enum<?> type = (Enum<?>) zoneType.invoke(zone.invoke(topology, id));
      if (type.name().equals("PRIMARY")) {
        voters.add(id.toString());
      }
    }
    for (Object arbiter : (Collection<?>) value(group, "getArbNodes")) {
      voters.add(value(arbiter, "getResourceId").toString());
    }
    return voters;
  }

  /**
   * A master counts whoever reads its log, and so this process, as one that follows it.
   *
   * @param voters who elects it, itself included
   * @param readers of its log
   */
  static boolean isFollowed(Set<String> voters, Set<?> readers) {
    long followers = voters.stream().filter(readers::contains).count();
    return 2 * (1 + followers) > voters.size();
  }

  private static Set<?> readers(Object master) throws ReflectiveOperationException {
    Object stats = value(master, "getMasterRepNodeStats");
    return stats == null
        ? Set.of()
        : ((Map<?, ?>) value(stats, "getReplicaDelayMillisMap")).keySet();
  }

  private static NodeStatus status(Object node, Set<String> voters)
      throws ReflectiveOperationException {
    return new NodeStatus(
        isTrue(value(node, "getReplicationState"), "isMaster"),
        new Master(
            (String) value(node, "getHAHostPort"),
            (long) value(node, "getVlsn"),
            isTrue(node, "getIsAuthoritativeMaster") && isFollowed(voters, readers(node))));
  }

  /** What the client knows of the store, in the server's class. */
  private synchronized Object topology() throws IOException, ClassNotFoundException {
    Topology known = ((KVStoreImpl) store).getTopology();
    if (topology == null || known.getSequenceNumber() != topologyNumber) {
      topologyNumber = known.getSequenceNumber();
      topology = translated(known);
    }
    return topology;
  }

  private Object translated(Topology known) throws IOException, ClassNotFoundException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(known);
    }
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray())) {
          @Override
          protected Class<?> resolveClass(ObjectStreamClass type) throws ClassNotFoundException {
            return Class.forName(type.getName(), false, server);
          }
        }) {
      return in.readObject();
    }
  }

  /** Creates the client's registry; its constructor took no logger in older releases. */
  private Object registry(Object topology) throws ReflectiveOperationException {
    Class<?> type = server.loadClass("oracle.kv.impl.util.registry.RegistryUtils");
    List<Class<?>> first =
        List.of(
            server.loadClass(Topology.class.getName()),
            server.loadClass("oracle.kv.impl.security.login.LoginManager"));
    for (Constructor<?> constructor : type.getConstructors()) {
      List<Class<?>> parameters = List.of(constructor.getParameterTypes());
      if (parameters.equals(first)) {
        return constructor.newInstance(topology, null);
      }
      if (parameters.size() == 3
          && parameters.subList(0, 2).equals(first)
          && parameters.get(2) == Logger.class) {
        return constructor.newInstance(topology, null, silent());
      }
    }
    throw new NoSuchMethodException(type.getName());
  }

  private static Object value(Object target, String getter) throws ReflectiveOperationException {
    return target.getClass().getMethod(getter).invoke(target);
  }

  private static boolean isTrue(Object target, String getter) throws ReflectiveOperationException {
    return (boolean) value(target, getter);
  }

  /** What fails is known by its outcome. */
  private static Logger silent() {
    Logger logger = Logger.getAnonymousLogger();
    logger.setLevel(Level.OFF);
    return logger;
  }
}
