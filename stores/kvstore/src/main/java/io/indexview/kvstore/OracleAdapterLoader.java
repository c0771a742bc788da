package io.indexview.kvstore;

import java.net.URL;
import java.net.URLClassLoader;

/**
 * Finds the adapter and what the client's jar brings there first; the store port, and everything
 * else, is that of the parent.
 */
final class OracleAdapterLoader extends URLClassLoader {
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
