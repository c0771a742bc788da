package io.indexview.kvstore.open;

import io.indexview.kvstore.KvStoreException;
import io.indexview.kvstore.StoreOpener;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.JarURLConnection;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.net.URLConnection;
import java.nio.file.Path;

/**
 * The Oracle NoSQL adapter with its client, in a class loader of their own. A client's jar brings
 * classes of the engine that the embedded store runs on, of its own release and under the same
 * names: side by side on one class path one of the two would break.
 */
final class OracleAdapter {
  private static final String OPENER = OracleAdapterLoader.ADAPTER_PACKAGE + "OracleStoreOpener";
  private static final String CLIENT_CLASS = "oracle/kv/KVStore.class";

  /** The client's jar, where it is not on the class path. */
  private static final String CLIENT_JAR = "indexview.kvclient.jar";

  private static StoreOpener opener;

  private OracleAdapter() {}

  /**
   * Returns the opener with the client that {@value #CLIENT_JAR} names, or that comes first on the
   * class path.
   */
  static synchronized StoreOpener opener() {
    String named = System.getProperty(CLIENT_JAR);
    if (opener == null && named != null) {
      opener = opener(toUrl(Path.of(named)));
    }
    if (opener == null) {
      URL found = OracleAdapter.class.getClassLoader().getResource(CLIENT_CLASS);
      if (found == null) {
        throw new KvStoreException.Misconfigured(
            "There is no client of Oracle NoSQL Database on the class path. Put kvclient.jar and"
                + " the jars beside it, from the lib directory of the server's release, there.");
      }
      opener = opener(root(found, CLIENT_CLASS));
    }
    return opener;
  }

  /** Returns an opener with the client in this jar. */
  static StoreOpener opener(URL clientJar) {
    try {
      return (StoreOpener)
          loader(clientJar).loadClass(OPENER).getDeclaredConstructor().newInstance();
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("The adapter for Oracle NoSQL cannot be loaded.", e);
    }
  }

  static OracleAdapterLoader loader(URL clientJar) {
    String self = OPENER.replace('.', '/') + ".class";
    ClassLoader shared = OracleAdapter.class.getClassLoader();
    return new OracleAdapterLoader(clientJar, root(shared.getResource(self), self), shared);
  }

  /** The jar or directory that a class file was found in. */
  private static URL root(URL classFile, String name) {
    try {
      URLConnection connection = classFile.openConnection();
      if (connection instanceof JarURLConnection inJar) {
        return inJar.getJarFileURL();
      }
      String path = classFile.toString();
      return toUrl(path.substring(0, path.length() - name.length()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static URL toUrl(Path path) {
    try {
      return path.toUri().toURL();
    } catch (MalformedURLException e) {
      throw new IllegalArgumentException(path + " is no file.", e);
    }
  }

  private static URL toUrl(String path) throws MalformedURLException {
    return URI.create(path).toURL();
  }

  /**
   * Finds the adapter and what the client's jar brings there first; the store port, and everything
   * else, is that of the parent.
   */
  static final class OracleAdapterLoader extends URLClassLoader {
    static final String ADAPTER_PACKAGE = "io.indexview.kvstore.oracle.";
    private static final String OWN_PACKAGES = "io.indexview.";

    static {
      registerAsParallelCapable();
    }

    /**
     * @param adapter the jar or directory that holds the adapter's classes
     */
    OracleAdapterLoader(URL clientJar, URL adapter, ClassLoader parent) {
      super("oracle-nosql-client", new URL[] {clientJar, adapter}, parent);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (isShared(name)) {
        return super.loadClass(name, resolve);
      }
      synchronized (getClassLoadingLock(name)) {
        Class<?> loaded = findLoadedClass(name);
        return loaded != null ? loaded : findFirstHere(name, resolve);
      }
    }

    private Class<?> findFirstHere(String name, boolean resolve) throws ClassNotFoundException {
      try {
        return findClass(name);
      } catch (ClassNotFoundException notHere) {
        return super.loadClass(name, resolve);
      }
    }

    private static boolean isShared(String name) {
      return name.startsWith("java.")
          || (name.startsWith(OWN_PACKAGES) && !name.startsWith(ADAPTER_PACKAGE));
    }
  }
}
