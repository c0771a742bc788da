package io.indexview.kvstore.oracle;

import io.indexview.kvstore.KvStoreException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.UUID;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;

/**
 * The engine of the server's release, which can read the log of a shard as a replica does, without
 * being one. It comes from the server's own jar, apart from the engine of the embedded store, and
 * is used by reflection: no library to compile against has it.
 */
final class ServerEngine implements LogReader.Engine {
  private static final String JAR = "kvstore.jar";
  private static final String REMEDY =
      "Name the directory with the jars of the server's release, those of its lib directory, as"
          + " kvstore.server.jars.";
  private static final String PACKAGE = "com.sleepycat.je.rep.";

  /** What every entry says, whatever else later releases add. */
  private static final List<Class<?>> CHANGE =
      List.of(long.class, byte[].class, byte[].class, long.class);

  private static final List<Class<?>> END = List.of(long.class, long.class, long.class);

  private static final Map<Path, ServerEngine> LOADED = new HashMap<>();

  private final ClassLoader classes;
  private final Class<?> callback;
  private final Constructor<?> configure;
  private final Constructor<?> subscribe;
  private final Object external;
  private final Class<?> requestType;

  /** The log does not go back to where a stream was to begin. */
  static final class LogGoneException extends Exception {
    private static final long serialVersionUID = 1L;

    LogGoneException(Throwable cause) {
      super(cause.getMessage(), cause);
    }
  }

  private ServerEngine(ClassLoader loader) throws ReflectiveOperationException {
    this.classes = loader;
    Class<?> config = loader.loadClass(PACKAGE + "subscription.SubscriptionConfig");
    Class<?> nodeType = loader.loadClass(PACKAGE + "NodeType");
    this.callback = loader.loadClass(PACKAGE + "subscription.SubscriptionCallback");
    this.requestType = loader.loadClass(PACKAGE + "stream.BaseProtocol$EntryRequestType");
    this.configure =
        config.getConstructor(
            String.class,
            String.class,
            String.class,
            String.class,
            String.class,
            UUID.class,
            nodeType,
            loader.loadClass(PACKAGE + "subscription.SubscriptionAuthHandler"),
            Properties.class);
    this.subscribe =
        loader
            .loadClass(PACKAGE + "subscription.Subscription")
            .getConstructor(config, Logger.class);
    this.external = constant(nodeType, "EXTERNAL");
    requireParameters("processPut", CHANGE);
    requireParameters("processDel", CHANGE);
    requireParameters("processCommit", END);
    requireParameters("processAbort", END);
  }

  /**
   * Loads the jar, once in the life of the process: it has threads of its own.
   *
   * @param directory that holds the server's jar
   * @throws KvStoreException.ChangesUnsupported if there is none, or it is of a release that does
   *     not fit
   */
  static synchronized ServerEngine load(Path directory) {
    ServerEngine engine = LOADED.get(directory);
    if (engine == null) {
      engine = loaded(directory);
      LOADED.put(directory, engine);
    }
    return engine;
  }

  private static ServerEngine loaded(Path directory) {
    Path jar = directory.resolve(JAR);
    if (!Files.isRegularFile(jar)) {
      throw new KvStoreException.ChangesUnsupported(
          "Changes can be followed with the server's own jar only, and there is no %s in %s. %s"
              .formatted(JAR, directory, REMEDY));
    }
    try {
      URL[] classPath = {jar.toUri().toURL()};
      return new ServerEngine(
          new URLClassLoader("nosql-server", classPath, ClassLoader.getPlatformClassLoader()));
    } catch (ReflectiveOperationException | LinkageError | IOException e) {
      throw new KvStoreException.ChangesUnsupported(
          "Changes cannot be followed with %s: it lacks %s. %s"
              .formatted(jar, e.getMessage(), REMEDY),
          e);
    }
  }

  /** Class loader of the server's jar. */
  ClassLoader classes() {
    return classes;
  }

  private void requireParameters(String method, List<Class<?>> wanted)
      throws NoSuchMethodException {
    for (Method found : callback.getMethods()) {
      Class<?>[] parameters = found.getParameterTypes();
      if (found.getName().equals(method)
          && parameters.length >= wanted.size()
          && List.of(parameters).subList(0, wanted.size()).equals(wanted)
          && timeIndex(method) < parameters.length
          && parameters[timeIndex(method)] == long.class) {
        return;
      }
    }
    throw new NoSuchMethodException("%s.%s%s".formatted(callback.getName(), method, wanted));
  }

  private static int timeIndex(String method) {
    return method.equals("processPut") || method.equals("processDel") ? 5 : 2;
  }

  @Override
  public LogReader.Subscription read(String group, String address, SharedStream stream)
      throws LogGoneException {
    Path home = createHome();
    Object subscription = null;
    boolean started = false;
    try {
      Object config = config(group, address, home, stream);
      subscription = subscribe.newInstance(config, silent());
      method(subscription, "start", long.class).invoke(subscription, stream.startAt());
      started = true;
      if (startOf(subscription) == 1) {
        stream.beginsWithLog();
      }
      return new Reader(subscription, home);
    } catch (InvocationTargetException e) {
      Throwable cause = e.getCause();
      if (cause.getClass().getSimpleName().equals("InsufficientLogException")) {
        throw new LogGoneException(cause);
      }
      throw new KvStoreException.Unavailable(
          "shard %s at %s: %s".formatted(group, address, firstLine(ClientErrors.root(cause))),
          cause);
    } catch (ReflectiveOperationException e) {
      throw new KvStoreException.ChangesUnsupported(
          "Changes cannot be followed with this server's jar: %s".formatted(e), e);
    } finally {
      if (!started) {
        new Reader(subscription, home).close();
      }
    }
  }

  /** The number of the entry that the master began with. */
  private static long startOf(Object subscription) throws ReflectiveOperationException {
    Object statistics = method(subscription, "getStatistics").invoke(subscription);
    return (long) method(statistics, "getStartVLSN").invoke(statistics);
  }

  private Object config(String group, String address, Path home, SharedStream stream)
      throws ReflectiveOperationException {
    Properties properties = new Properties();
    // The least there is: another master is looked for instead.
    properties.setProperty("je.rep.subscriptionMaxConnectRetries", "1");
    properties.setProperty("je.rep.subscriptionSleepBeforeRetry", "1 s");
    properties.setProperty("je.rep.subscriptionPollInterval", "10 ms");
    Object config =
        configure.newInstance(
            "indexview-" + UUID.randomUUID(),
            home.toString(),
            // Any address and port of this machine.
            "0.0.0.0:5000",
            address,
            group,
            null,
            external,
            null,
            properties);
    Object proxy =
        Proxy.newProxyInstance(
            callback.getClassLoader(), new Class<?>[] {callback}, entries(stream));
    method(config, "setCallback", callback).invoke(config, proxy);
    String request = stream.isExact() ? "DEFAULT" : "AVAILABLE";
    method(config, "setStreamMode", requestType).invoke(config, constant(requestType, request));
    return config;
  }

  private static InvocationHandler entries(SharedStream stream) {
    return (proxy, method, parameters) -> {
      switch (method.getName()) {
        case "processPut", "processDel" ->
            stream.changed(
                (long) parameters[0],
                (long) parameters[3],
                (long) parameters[5],
                (byte[]) parameters[1]);
        case "processCommit" ->
            stream.committed((long) parameters[0], (long) parameters[1], (long) parameters[2]);
        case "processAbort" ->
            stream.aborted((long) parameters[0], (long) parameters[1], (long) parameters[2]);
        case "equals" -> {
          return proxy == parameters[0];
        }
        case "hashCode" -> {
          return System.identityHashCode(proxy);
        }
        case "toString" -> {
          return "entries of a log";
        }
        default -> {
          // A failure, which ends the stream: its status says so.
        }
      }
      return null;
    };
  }

  private static final class Reader implements LogReader.Subscription {
    private final Object subscription;
    private final Path home;

    Reader(Object subscription, Path home) {
      this.subscription = subscription;
      this.home = home;
    }

    @Override
    public boolean isAlive() {
      try {
        Method status = method(subscription, "getSubscriptionStatus");
        return status.invoke(subscription).toString().equals("SUCCESS");
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public void close() {
      try {
        if (subscription != null) {
          method(subscription, "shutdown").invoke(subscription);
        }
      } catch (ReflectiveOperationException e) {
        // One that failed: its connection is gone with it.
      } finally {
        deleteHome(home);
      }
    }
  }

  /**
   * Creates a directory for the lock and log files that the engine makes, even to read elsewhere.
   */
  private static Path createHome() {
    try {
      return Files.createTempDirectory("indexview-changes-");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void deleteHome(Path home) {
    try (Stream<Path> files = Files.walk(home)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      // A few small files in the directory for such.
    }
  }

  private static Method method(Object target, String name, Class<?>... parameters)
      throws NoSuchMethodException {
    return target.getClass().getMethod(name, parameters);
  }

  private static Object constant(Class<?> type, String name) throws NoSuchFieldException {
    return Arrays.stream(type.getEnumConstants())
        .filter(constant -> ((Enum<?>) constant).name().equals(name))
        .findFirst()
        .orElseThrow(() -> new NoSuchFieldException("%s.%s".formatted(type.getName(), name)));
  }

  private static Logger silent() {
    Logger logger = Logger.getAnonymousLogger();
    logger.setLevel(Level.OFF);
    return logger;
  }

  private static String firstLine(Throwable e) {
    String message = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
    return "%s: %s".formatted(e.getClass().getSimpleName(), message);
  }
}
