package io.indexview.server;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/** The version of this build. */
final class BuildVersion implements IVersionProvider {

  @Override
  public String[] getVersion() throws IOException {
    try (InputStream in = BuildVersion.class.getResourceAsStream("build.properties")) {
      if (in == null) {
        throw new IllegalStateException("build.properties is not on the class path: broken build");
      }
      Properties build = new Properties();
      build.load(in);
      return new String[] {"indexview-server " + build.getProperty("version")};
    }
  }
}
